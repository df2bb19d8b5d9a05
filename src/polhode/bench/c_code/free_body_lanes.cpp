/* The order-2 variational step of free rigid bodies, W of them side by side in vectors: the yard-stick of ensembles.

   The algorithm of free_body.c, with the members as structure of arrays: entry i of member k of a block is y[i * W + k].
   A lane whose Newton iteration has ended keeps its value while the others go on, so that every member does exactly what it
   does alone. Vectors are those of the compiler (gcc and clang); W is given on the command line. */

#include <cstdint>

#ifndef W
#define W 8
#endif

typedef double lanes __attribute__((vector_size(8 * W)));
typedef int64_t mask __attribute__((vector_size(8 * W)));

static const int MAX_ITERATIONS = 25;
static const double SMALL_CORRECTION = 1e-19, RESIDUAL_BOUND = 1e-13;

struct vec {
    lanes x, y, z;
};

struct sym {
    lanes xx, yy, zz, yz, xz, xy;
};

static inline vec operator+(const vec &a, const vec &b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline vec operator-(const vec &a, const vec &b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline vec operator*(const lanes &s, const vec &a) { return {s * a.x, s * a.y, s * a.z}; }
static inline vec operator*(double s, const vec &a) { return {s * a.x, s * a.y, s * a.z}; }

/* a b + c. With FUSED it is rounded once, as polhode does where the processor can; else the compiler may decide. */
static inline lanes multiply_add(const lanes &a, const lanes &b, const lanes &c) {
#ifdef FUSED
    lanes found;
    for (int k = 0; k < W; k++) found[k] = __builtin_fma(a[k], b[k], c[k]);
    return found;
#else
    return a * b + c;
#endif
}

static inline lanes multiply_add(double a, const lanes &b, const lanes &c) { return multiply_add(lanes{} + a, b, c); }

static inline lanes dot(const vec &a, const vec &b) {
    return multiply_add(a.z, b.z, multiply_add(a.y, b.y, a.x * b.x));
}

/* a + s b */
template <typename scalar> static inline vec add_scaled(const vec &a, const scalar &s, const vec &b) {
    return {multiply_add(s, b.x, a.x), multiply_add(s, b.y, a.y), multiply_add(s, b.z, a.z)};
}

static inline vec cross(const vec &a, const vec &b) {
    return {multiply_add(a.y, b.z, -(a.z * b.y)), multiply_add(a.z, b.x, -(a.x * b.z)),
            multiply_add(a.x, b.y, -(a.y * b.x))};
}

static inline vec apply(const sym &J, const vec &x) {
    return {dot({J.xx, J.xy, J.xz}, x), dot({J.xy, J.yy, J.yz}, x), dot({J.xz, J.yz, J.zz}, x)};
}

static inline vec chosen(const mask &m, const vec &a, const vec &b) {
    return {m ? a.x : b.x, m ? a.y : b.y, m ? a.z : b.z};
}

static inline bool any(const mask &m) {
    int64_t found = 0;
    for (int k = 0; k < W; k++) found |= m[k];
    return found != 0;
}

/* g + g x c + (g.c) c */
static inline vec turned(const vec &g, const vec &c) { return add_scaled(g + cross(g, c), dot(g, c), c); }

static inline vec residual(const sym &J, const vec &g, const vec &c) {
    return add_scaled(turned(g, c), -2.0, apply(J, c));
}

/* The Newton correction (dr/dc)^-1 r by cofactors; det is the determinant of dr/dc. */
static inline vec correction(const sym &J, const vec &g, const vec &c, lanes &det) {
    vec r = residual(J, g, c);
    lanes s = dot(g, c);
    vec first = {multiply_add(c.x, g.x, multiply_add(-2.0, J.xx, s)),
                 multiply_add(c.x, g.y, multiply_add(-2.0, J.xy, -g.z)),
                 multiply_add(c.x, g.z, multiply_add(-2.0, J.xz, g.y))};
    vec second = {multiply_add(c.y, g.x, multiply_add(-2.0, J.xy, g.z)),
                  multiply_add(c.y, g.y, multiply_add(-2.0, J.yy, s)),
                  multiply_add(c.y, g.z, multiply_add(-2.0, J.yz, -g.x))};
    vec third = {multiply_add(c.z, g.x, multiply_add(-2.0, J.xz, -g.y)),
                 multiply_add(c.z, g.y, multiply_add(-2.0, J.yz, g.x)),
                 multiply_add(c.z, g.z, multiply_add(-2.0, J.zz, s))};
    vec u = cross(second, third), v = cross(third, first), w = cross(first, second);
    det = dot(first, u);
    lanes d = 1.0 / det;
    return {dot(vec{u.x, v.x, w.x}, r) * d,
            dot(vec{u.y, v.y, w.y}, r) * d,
            dot(vec{u.z, v.z, w.z}, r) * d};
}

/* c for this g; returns the number of Newton iterations, or -1 if this is not the wanted root in all lanes. */
static inline int solve(const sym &J, const sym &J_inverse, const vec &g, vec &c) {
    c = 0.5 * apply(J_inverse, g);
    c = 0.5 * apply(J_inverse, turned(g, c));
    c = 0.5 * apply(J_inverse, turned(g, c));
    lanes det = 0.0 * c.x - 1.0, det_here;
    mask moving = dot(g, g) >= 0.0;
    int iterations = 0;
    while (any(moving) && iterations < MAX_ITERATIONS) {
        vec step = correction(J, g, c, det_here);
        c = chosen(moving, c - step, c);
        det = moving ? det_here : det;
        moving &= dot(step, step) > SMALL_CORRECTION;
        iterations++;
    }
    vec r = residual(J, g, c);
    lanes size = dot(g, g), one = 0.0 * size + 1.0, defect = dot(r, r) / (size > 0.0 ? size : one);
    lanes spread = (J.xx + J.yy + J.zz) * (1.0 + dot(c, c));
    mask wanted = (defect <= RESIDUAL_BOUND * RESIDUAL_BOUND) & (det < 0.0) & (4.0 * dot(c, apply(J, c)) < spread);
    return any(~wanted) ? -1 : iterations;
}

/* F'v - v = t + (1 + c.c) t x g/2, t = v x g: F is given by g = 2 c/(1 + c.c) and c.c */
static inline vec change(const vec &v, const vec &g, const lanes &cc) {
    vec t = cross(v, g), w = cross(t, 0.5 * g);
    return t + add_scaled(w, cc, w);
}

/* (1 - x.x)/2 by a sum of 3/2, which has the same grid on both sides */
static inline lanes strain(const vec &x) { return 0.75 - 0.5 * ((0.5 + x.x * x.x) + (x.y * x.y + x.z * x.z)); }

/* `steps` steps of h on one block. */
static int64_t block(lanes *y, const lanes *p, double h, int64_t steps) {
    sym J = {p[0], p[1], p[2], p[3], p[4], p[5]}, J_inverse = {p[6], p[7], p[8], p[9], p[10], p[11]};
    vec a = {y[0], y[1], y[2]}, b = {y[3], y[4], y[5]}, w = {y[6], y[7], y[8]}, Pi = {y[9], y[10], y[11]};
    int64_t total = 0;
    for (int64_t k = 0; k < steps; k++) {
        vec c;
        int iterations = solve(J, J_inverse, h * Pi, c);
        if (iterations < 0) return -1;
        total += iterations;
        lanes cc = dot(c, c);
        vec axial = (2.0 / (1.0 + cc)) * c;
        lanes along_a = strain(a), along_b = strain(b), across = -0.5 * dot(a, b);
        vec da = change(a, axial, cc), db = change(b, axial, cc);
        vec u = a + da, v = b + db;
        a = a + (da + add_scaled(along_a * u, across, v));
        b = b + (db + add_scaled(along_b * v, across, u));
        w = cross(a, b);
        Pi = Pi + change(Pi, axial, cc);
    }
    y[0] = a.x, y[1] = a.y, y[2] = a.z, y[3] = b.x, y[4] = b.y, y[5] = b.z;
    y[6] = w.x, y[7] = w.y, y[8] = w.z, y[9] = Pi.x, y[10] = Pi.y, y[11] = Pi.z;
    return total;
}

/* `steps` steps of h on `blocks` blocks of W members: y = (R by rows, Pi), p = (J, J^-1) as (xx, yy, zz, yz, xz, xy) each,
   for every member. Both are aligned to a vector. Returns the number of Newton iterations of all blocks, or -1. */
extern "C" int64_t free_body_lanes(double *y, const double *p, double h, int64_t steps, int64_t blocks) {
    int64_t total = 0;
    for (int64_t n = 0; n < blocks; n++) {
        int64_t found = block((lanes *)(y + 12 * W * n), (const lanes *)(p + 12 * W * n), h, steps);
        if (found < 0) return -1;
        total += found;
    }
    return total;
}
