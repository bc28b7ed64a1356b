/* ---- on a GPU, through its driver, which is opened at the first launch ---- */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

/* A binary in one context of the driver; HIP's contexts are devices. */
struct tessera_rt_loaded {
  struct tessera_rt_loaded *next;
  void *context, *module, *function;
};

struct tessera_rt_driver;

struct tessera_rt_binary {
  const unsigned char *image;
  const char *symbol;
  struct tessera_rt_driver *driver;
  unsigned chip;  /* as the driver counts: 90 is compute capability 9.0, 0x942 is gfx942 */
  unsigned exact; /* it runs on no later chip */
  unsigned text;  /* PTX, which the driver compiles for the chip or for any later one */
  unsigned threads, shared, ctas, cluster[3], cooperative, dependent, hidden;
  unsigned long long scratch; /* bytes for each CTA */
  struct tessera_rt_loaded *loaded;
  unsigned maps; /* tensor maps, which are hidden arguments before the others */
  int (*build)(void *const *args, struct tessera_rt_map *maps);
  struct tessera_rt_binary *plain; /* for launches whose maps cannot be built */
};

struct tessera_rt_attribute {
  int id, pad;
  union {
    char bytes[64];
    int flag;
    unsigned extents[3];
  } value;
};

struct tessera_rt_config {
  unsigned grid[3], block[3], shared;
  void *stream;
  struct tessera_rt_attribute *attributes;
  unsigned count;
};

struct tessera_rt_driver {
  int (*open)(void); /* whether there is a GPU; fills in the rest */
  /* The context of the calling thread, which is that of the first GPU if it has none, and its
   * chip. */
  int (*find)(void **context, unsigned *chip);
  /* Makes a context current, and returns the one that was. */
  void *(*enter)(void *context);
  /* Sets what a function needs; NULL if none needs anything. `step` is what failed. */
  int (*prepare)(const struct tessera_rt_binary *binary, void *function, const char **step);
  void (*name_chip)(char *text, size_t bytes, unsigned chip);
  const char *chip_label; /* what stands before such a name: "compute capability " */
  unsigned generation; /* N: a binary also runs on later chips with the same chip / N; 0: on none */
  unsigned most_rows;  /* of a grid, and layers; 0: the driver checks them */
  int (*error_text)(int, const char **);
  int (*load)(void **, const void *);
  int (*unload)(void *);
  int (*get_function)(void **, void *, const char *);
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                void *, void **, void **);
  int (*launch_ex)(const struct tessera_rt_config *, void *, void **, void **);
  int (*launch_cooperative)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                            unsigned, void *, void **); /* where there is no launch_ex */
  int (*allocate)(unsigned long long *, size_t, void *);
  int (*release)(unsigned long long, void *);
  /* For messages: names of functions, and what has the optional ones. */
  const char *load_name, *function_name, *launch_name, *allocate_name;
  const char *has_allocate, *has_attributes;
};

static struct tessera_rt_driver *tessera_rt_gpu; /* of this process: the first that finds a GPU */
static char tessera_rt_problem[512];             /* why there is none */
static pthread_once_t tessera_rt_opened = PTHREAD_ONCE_INIT;
static pthread_mutex_t tessera_rt_lock = PTHREAD_MUTEX_INITIALIZER;

/* Puts the driver's function into a pointer to one. */
static int tessera_rt_find(void *library, const char *name, void *slot) {
  void *found = dlsym(library, name);
  memcpy(slot, &found, sizeof found);
  return found != NULL;
}

/* Adds a reason why there is no driver. */
static void tessera_rt_add_problem(const char *what, const char *reason) {
  size_t used = strlen(tessera_rt_problem);
  snprintf(tessera_rt_problem + used, sizeof tessera_rt_problem - used, "%s%s (%.180s)",
           used ? "; " : "", what, reason);
}
