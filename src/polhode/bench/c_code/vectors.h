/* Vectors and symmetric matrices, as far as the programs beside this file share them. */

typedef struct {
    double x, y, z;
} vec;

typedef struct {
    double xx, yy, zz, yz, xz, xy;
} sym;

static inline vec cross(vec a, vec b) {
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline vec apply(sym J, vec x) {
    return (vec){J.xx * x.x + J.xy * x.y + J.xz * x.z, J.xy * x.x + J.yy * x.y + J.yz * x.z,
                 J.xz * x.x + J.yz * x.y + J.zz * x.z};
}
