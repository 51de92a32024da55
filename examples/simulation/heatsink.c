/* heatsink: how hot does a chip get under a heat sink of given fins?
 *
 * One fin and its share of the chip, cut in half along its plane of symmetry, is heated from below and cooled by
 * air at its side and tip. Conduction in the fin is followed in time by explicit finite volumes, from cold until
 * as much heat leaves as enters. Tall fins have more cells, thick ones take longer to warm up, and good conductors need
 * shorter steps. So every design has its own cost, which nobody knows in advance.
 *
 *     x: across the fin, from its middle to its side        y: from the chip to the tip
 *
 * Reads the file $EKE_PARAMS: {"thickness": mm, "gap": mm, "height": mm, "material": "aluminium"|"copper"|"steel"}.
 * Prints name=value lines; score and cost are those that eke reads.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double side = 0.060;       /* m, of the square chip and sink */
static const double power = 60;         /* W, of the chip */
static const double draught = 60;       /* W/(m² K), along a wall that stands alone */
static const double layer = 0.002;      /* m, in which a wall slows the air down */
static const double cell = 0.0005;      /* m, at most */
static const double per_kilogram = 100; /* kelvins that a kilogram of metal has to be worth */
static const double balance = 1e-3;     /* of the heat, by which entering and leaving may differ in the end */
static const double most_updates = 5e9; /* about ten seconds; nothing in the study's ranges needs as many */

static const struct material {
    const char *name;
    double conductivity, density; /* W/(m K), kg/m³ */
} materials[] = {
    {"aluminium", 205, 2700},
    {"copper", 390, 8960},
    {"steel", 50, 7850},
};

static void fail(const char *problem, const char *what) {
    fprintf(stderr, "heatsink: error: %s %s\n", problem, what);
    exit(1);
}

/* value_of finds a name in a flat JSON object, and returns where its value begins. */
static const char *value_of(const char *json, const char *name) {
    char key[64];
    snprintf(key, sizeof key, "\"%s\"", name);
    for (const char *at = json; (at = strstr(at, key)); ) {
        at += strlen(key);
        at += strspn(at, " \t\r\n");
        if (*at == ':') {
            at++;
            return at + strspn(at, " \t\r\n");
        }
    }
    fail("the parameters have no", name);
    return NULL;
}

static double millimetres(const char *json, const char *name) {
    char *end;
    const char *text = value_of(json, name);
    double mm = strtod(text, &end);
    if (end == text || !(mm > 0 && mm <= 1000)) fail("want a number above 0 and at most 1000 for", name);
    return mm / 1000;
}

static const struct material *material_of(const char *json) {
    const char *text = value_of(json, "material");
    for (size_t i = 0; i < sizeof materials / sizeof *materials; i++) {
        size_t n = strlen(materials[i].name);
        if (text[0] == '"' && strncmp(text + 1, materials[i].name, n) == 0 && text[n + 1] == '"') return &materials[i];
    }
    fail("want aluminium, copper or steel for", "material");
    return NULL;
}

static void read_file(char *into, size_t size) {
    const char *path = getenv("EKE_PARAMS");
    if (!path) fail("set EKE_PARAMS to a file such as", "{\"thickness\": 1, \"gap\": 4, \"height\": 30, \"material\": \"copper\"}");
    FILE *file = fopen(path, "rb");
    if (!file) fail("cannot read", path);
    into[fread(into, 1, size - 1, file)] = 0;
    fclose(file);
}

/* settle warms the fin up until as much heat leaves as enters. It returns how much hotter than the air the chip is. */
static double settle(const struct material *m, double half, double height, double film, double flux, double *updates) {
    int nx = (int)ceil(half / cell), ny = (int)ceil(height / cell);
    double dx = half / nx, dy = height / ny;
    double *now = calloc((size_t)nx * ny, sizeof *now), *next = calloc((size_t)nx * ny, sizeof *next);
    if (!now || !next) fail("no memory for the", "grid");

    double across = m->conductivity / (dx * dx), along = m->conductivity / (dy * dy); /* W/(m³ K) */
    /* Air takes heat through half a cell of metal. */
    double at_side = 1 / (1 / film + dx / 2 / m->conductivity) / dx, at_tip = 1 / (1 / film + dy / 2 / m->conductivity) / dy;
    double enters = flux / dy; /* W/m³, into cells at the chip */
    /* Time divided by heat capacity, which only changes the clock. The step is stable, with some margin. */
    double step = 0.95 / (2 * across + 2 * along + at_side + at_tip);

    for (double leaves = 0; fabs(leaves - enters * nx) > balance * enters * nx; ) {
        if (*updates > most_updates) fail("the fin does not settle: make it thinner or shorter, or widen the", "gap");
        leaves = 0;
        for (int j = 0; j < ny; j++) {
            const double *row = now + (size_t)j * nx;
            const double *below = j > 0 ? row - nx : row, *above = j < ny - 1 ? row + nx : row;
            for (int i = 0; i < nx; i++) {
                double t = row[i], left = i > 0 ? row[i - 1] : t, right = i < nx - 1 ? row[i + 1] : t;
                double gain = across * (left + right - 2 * t) + along * (below[i] + above[i] - 2 * t), loss = 0;
                if (j == 0) gain += enters;
                if (i == nx - 1) loss += at_side * t;
                if (j == ny - 1) loss += at_tip * t;
                leaves += loss;
                next[(size_t)j * nx + i] = t + step * (gain - loss);
            }
        }
        double *swap = now;
        now = next, next = swap;
        *updates += (double)nx * ny;
    }
    double chip = now[0] + flux * dy / 2 / m->conductivity;
    free(now), free(next);
    return chip;
}

int main(void) {
    char json[4096];
    read_file(json, sizeof json);
    const struct material *m = material_of(json);
    double thickness = millimetres(json, "thickness"), gap = millimetres(json, "gap"), height = millimetres(json, "height");

    /* Air is slow in narrow gaps, and does not get far into deep ones. */
    double film = draught * gap / (gap + layer) / (1 + height / (8 * gap));
    double pitch = thickness + gap, flux = power / (side * side) * pitch / thickness; /* all heat enters by the fins */
    double updates = 0;
    double rise = settle(m, thickness / 2, height, film, flux, &updates);
    double mass = m->density * side * side * height * thickness / pitch;

    printf("rise=%.6f\nmass=%.6f\n", rise, mass);
    printf("score=%.6f\ncost=%.6f\n", rise + per_kilogram * mass, updates / 1e6);
    return 0;
}
