/* Vectors and symmetric matrices, as far as the programs beside this file share them. */

typedef struct {
    double x, y, z;
} vec;

typedef struct {
    double xx, yy, zz, yz, xz, xy;
} sym;

/* a b + c. With FUSED it is rounded once, as polhode does where the processor can; else the compiler may decide. */
static inline double multiply_add(double a, double b, double c) {
#ifdef FUSED
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}

static inline double dot(vec a, vec b) { return multiply_add(a.z, b.z, multiply_add(a.y, b.y, a.x * b.x)); }

/* a + s b */
static inline vec add_scaled(vec a, double s, vec b) {
    return (vec){multiply_add(s, b.x, a.x), multiply_add(s, b.y, a.y), multiply_add(s, b.z, a.z)};
}

static inline vec cross(vec a, vec b) {
    return (vec){multiply_add(a.y, b.z, -(a.z * b.y)), multiply_add(a.z, b.x, -(a.x * b.z)),
                 multiply_add(a.x, b.y, -(a.y * b.x))};
}

static inline vec apply(sym J, vec x) {
    return (vec){dot((vec){J.xx, J.xy, J.xz}, x), dot((vec){J.xy, J.yy, J.yz}, x), dot((vec){J.xz, J.yz, J.zz}, x)};
}
