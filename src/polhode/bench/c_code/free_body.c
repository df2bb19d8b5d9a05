/* The order-2 variational step of the free rigid body, written by hand: the yard-stick of the benchmarks.

   The same algorithm as polhode's `drift_matrix` on a full symmetric inertia. With g = h Pi the Cayley parameter c of the
   step's rotation F solves r(c) = g + g x c + (g.c) c - 2 J c = 0: a guess, two fixed-point corrections, Newton's method
   down to a correction whose square is 1e-19, and a check that this is the wanted root. Then R becomes R F, put back onto
   the group to first order, and Pi becomes F' Pi. Everything is kept in doubles that live in registers. Only the search
   for a root that this misses, next to the largest possible step, is left out. */

#include <stdint.h>

#include "vectors.h"

#define MAX_ITERATIONS 25
#define SMALL_CORRECTION 1e-19
#define RESIDUAL_BOUND 1e-13

static inline vec add(vec a, vec b) { return (vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline vec sub(vec a, vec b) { return (vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline vec scale(double s, vec a) { return (vec){s * a.x, s * a.y, s * a.z}; }

/* g + g x c + (g.c) c */
static inline vec turned(vec g, vec c) { return add_scaled(add(g, cross(g, c)), dot(g, c), c); }

static inline vec residual(sym J, vec g, vec c) { return add_scaled(turned(g, c), -2.0, apply(J, c)); }

/* The Newton correction (dr/dc)^-1 r by cofactors; *det is the determinant of dr/dc. */
static inline vec correction(sym J, vec g, vec c, double *det) {
    vec r = residual(J, g, c);
    double s = dot(g, c);
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
    *det = dot(first, u);
    double d = 1.0 / *det;
    return (vec){dot((vec){u.x, v.x, w.x}, r) * d,
                 dot((vec){u.y, v.y, w.y}, r) * d,
                 dot((vec){u.z, v.z, w.z}, r) * d};
}

/* c for this g, in *root; returns the number of Newton iterations, or -1 if this is not the wanted root. */
static inline int solve(sym J, sym J_inverse, vec g, vec *root) {
    vec c = scale(0.5, apply(J_inverse, g));
    c = scale(0.5, apply(J_inverse, turned(g, c)));
    c = scale(0.5, apply(J_inverse, turned(g, c)));
    double det = -1.0, moved;
    int iterations = 0;
    do {
        vec step = correction(J, g, c, &det);
        c = sub(c, step);
        moved = dot(step, step);
        iterations++;
    } while (moved > SMALL_CORRECTION && iterations < MAX_ITERATIONS);
    vec r = residual(J, g, c);
    double size = dot(g, g), defect = dot(r, r) / (size > 0.0 ? size : 1.0);
    *root = c;
    double spread = (J.xx + J.yy + J.zz) * (1.0 + dot(c, c));
    int wanted = defect <= RESIDUAL_BOUND * RESIDUAL_BOUND && det < 0.0 && 4.0 * dot(c, apply(J, c)) < spread;
    return wanted ? iterations : -1;
}

/* F'v - v = t + (1 + c.c) t x g/2, t = v x g: F is given by g = 2 c/(1 + c.c) and c.c */
static inline vec change(vec v, vec g, double cc) {
    vec t = cross(v, g), w = cross(t, scale(0.5, g));
    return add(t, add_scaled(w, cc, w));
}

/* (1 - x.x)/2 by a sum of 3/2, which has the same grid on both sides */
static inline double strain(vec x) { return 0.75 - 0.5 * ((0.5 + x.x * x.x) + (x.y * x.y + x.z * x.z)); }

/* `steps` steps of h on y = (R by rows, Pi), p = (J, J^-1) as (xx, yy, zz, yz, xz, xy) each. Returns the number of Newton
   iterations in all, or -1 - k if step k has no solution; y is then the state before it. */
int64_t free_body(double *y, const double *p, double h, int64_t steps) {
    sym J = {p[0], p[1], p[2], p[3], p[4], p[5]}, J_inverse = {p[6], p[7], p[8], p[9], p[10], p[11]};
    vec a = {y[0], y[1], y[2]}, b = {y[3], y[4], y[5]}, w = {y[6], y[7], y[8]}, Pi = {y[9], y[10], y[11]};
    int64_t total = 0, k;
    for (k = 0; k < steps; k++) {
        vec c;
        int iterations = solve(J, J_inverse, scale(h, Pi), &c);
        if (iterations < 0) break;
        total += iterations;
        double cc = dot(c, c);
        vec axial = scale(2.0 / (1.0 + cc), c);
        double along_a = strain(a), along_b = strain(b), across = -0.5 * dot(a, b);
        vec da = change(a, axial, cc), db = change(b, axial, cc);
        vec u = add(a, da), v = add(b, db);
        a = add(a, add(da, add_scaled(scale(along_a, u), across, v)));
        b = add(b, add(db, add_scaled(scale(along_b, v), across, u)));
        w = cross(a, b);
        Pi = add(Pi, change(Pi, axial, cc));
    }
    y[0] = a.x, y[1] = a.y, y[2] = a.z, y[3] = b.x, y[4] = b.y, y[5] = b.z;
    y[6] = w.x, y[7] = w.y, y[8] = w.z, y[9] = Pi.x, y[10] = Pi.y, y[11] = Pi.z;
    return k < steps ? -1 - k : total;
}
