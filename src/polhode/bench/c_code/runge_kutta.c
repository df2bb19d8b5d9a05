/* The classical Runge-Kutta method and the explicit midpoint rule on the free rigid body, written by hand: the
   yard-stick of `RK4` and `Midpoint`. Everything is kept in doubles that live in registers. */

#include <stdint.h>

#include "vectors.h"

/* The rows of R, and Pi. */
typedef struct {
    vec a, b, c, Pi;
} body;

/* R' = R S(omega), Pi' = Pi x omega with omega = J^-1 Pi */
static inline body rates(sym J_inverse, body y) {
    vec omega = apply(J_inverse, y.Pi);
    return (body){cross(y.a, omega), cross(y.b, omega), cross(y.c, omega), cross(y.Pi, omega)};
}

/* y + h k */
static inline body moved(body y, double h, body k) {
    return (body){add_scaled(y.a, h, k.a), add_scaled(y.b, h, k.b), add_scaled(y.c, h, k.c),
                  add_scaled(y.Pi, h, k.Pi)};
}

static inline body rk4_step(sym J_inverse, body y, double h) {
    body k1 = rates(J_inverse, y);
    body k2 = rates(J_inverse, moved(y, 0.5 * h, k1));
    body k3 = rates(J_inverse, moved(y, 0.5 * h, k2));
    body k4 = rates(J_inverse, moved(y, h, k3));
    double outer = h * (1.0 / 6.0), inner = h * (2.0 / 6.0);
    return moved(moved(moved(moved(y, outer, k1), inner, k2), inner, k3), outer, k4);
}

static inline body midpoint_step(sym J_inverse, body y, double h) {
    return moved(y, h, rates(J_inverse, moved(y, 0.5 * h, rates(J_inverse, y))));
}

/* `steps` steps of h on y = (R by rows, Pi), p = (J, J^-1) as (xx, yy, zz, yz, xz, xy) each. */
void rk4(body *y, const sym *p, double h, int64_t steps) {
    body now = *y;
    for (int64_t k = 0; k < steps; k++) now = rk4_step(p[1], now, h);
    *y = now;
}

void midpoint(body *y, const sym *p, double h, int64_t steps) {
    body now = *y;
    for (int64_t k = 0; k < steps; k++) now = midpoint_step(p[1], now, h);
    *y = now;
}
