/* ---- launching on a GPU ---- */
static void tessera_rt_open(void) {
  unsigned i;
  for (i = 0; tessera_rt_drivers[i] && !tessera_rt_gpu; ++i)
    if (tessera_rt_drivers[i]->open())
      tessera_rt_gpu = tessera_rt_drivers[i];
}

static int32_t tessera_rt_driver_failed(const char *kernel, const char *function, int status) {
  const char *text = NULL;
  char what[256];
  tessera_rt_gpu->error_text(status, &text);
  snprintf(what, sizeof what, "%s failed with %d: ", function, status);
  return tessera_rt_fail(TESSERA_KERNEL_DRIVER, kernel, what, text ? text : "unknown error");
}

/* Opens the driver, and finds the current context and its chip. */
static int32_t tessera_rt_find_gpu(const char *kernel, void **context, unsigned *chip) {
  int status;
  pthread_once(&tessera_rt_opened, tessera_rt_open);
  if (!tessera_rt_gpu)
    return tessera_rt_fail(TESSERA_KERNEL_NO_DRIVER, kernel, tessera_rt_problem,
                           "; TESSERA_ON_CPU needs none");
  status = tessera_rt_gpu->find(context, chip);
  return status == 0 ? TESSERA_KERNEL_OK
                     : tessera_rt_driver_failed(kernel, "choosing a GPU", status);
}

/* A binary runs on the chip that it was made for, and perhaps on later ones of its generation. */
static int tessera_rt_fits(const struct tessera_rt_binary *binary, unsigned chip) {
  unsigned generation = tessera_rt_gpu->generation;
  if (binary->driver != tessera_rt_gpu)
    return 0;
  if (binary->exact || chip <= binary->chip)
    return binary->chip == chip;
  return binary->text || (generation && binary->chip / generation == chip / generation);
}

/* The best one: no text, and for the latest chip. */
static struct tessera_rt_binary *tessera_rt_choose(const struct tessera_rt_variant *variant,
                                                   unsigned chip) {
  struct tessera_rt_binary *best = NULL;
  unsigned i;
  for (i = 0; i < variant->count; ++i) {
    struct tessera_rt_binary *each = &variant->binaries[i];
    int isBetter =
        !best || each->text < best->text || (each->text == best->text && each->chip > best->chip);
    if (tessera_rt_fits(each, chip) && isBetter)
      best = each;
  }
  return best;
}

static int32_t tessera_rt_no_binary(const struct tessera_rt_variant *variant, unsigned chip) {
  char what[96], own[32], known[192] = "";
  unsigned i;
  tessera_rt_gpu->name_chip(own, sizeof own, chip);
  snprintf(what, sizeof what, "the library has no code for %s%s", tessera_rt_gpu->chip_label, own);
  for (i = 0; i < variant->count && strlen(known) < sizeof known - 40; ++i) {
    size_t used = strlen(known);
    variant->binaries[i].driver->name_chip(own, sizeof own, variant->binaries[i].chip);
    snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : ", only for ", own);
  }
  return tessera_rt_fail(TESSERA_KERNEL_NO_BINARY, variant->kernel, what,
                         variant->count ? known
                                        : "; it was built for the CPU: pass TESSERA_ON_CPU");
}

static int32_t tessera_rt_load(struct tessera_rt_binary *binary, const char *kernel, void *context,
                               void **function) {
  struct tessera_rt_loaded *entry = __atomic_load_n(&binary->loaded, __ATOMIC_ACQUIRE);
  const char *step = tessera_rt_gpu->load_name;
  int status;
  for (; entry; entry = entry->next)
    if (entry->context == context) {
      *function = entry->function;
      return TESSERA_KERNEL_OK;
    }
  entry = (struct tessera_rt_loaded *)calloc(1, sizeof *entry);
  if (!entry)
    return tessera_rt_fail(TESSERA_KERNEL_NO_MEMORY, kernel, "no memory", "");
  entry->context = context;
  status = tessera_rt_gpu->load(&entry->module, binary->image);
  if (status == 0) {
    step = tessera_rt_gpu->function_name;
    status = tessera_rt_gpu->get_function(&entry->function, entry->module, binary->symbol);
  }
  if (status == 0 && tessera_rt_gpu->prepare)
    status = tessera_rt_gpu->prepare(binary, entry->function, &step);
  if (status != 0) {
    free(entry);
    return tessera_rt_driver_failed(kernel, step, status);
  }
  *function =
      entry->function; /* two threads may both load it, which costs memory and nothing else */
  pthread_mutex_lock(&tessera_rt_lock);
  entry->next = binary->loaded;
  __atomic_store_n(&binary->loaded, entry, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&tessera_rt_lock);
  return TESSERA_KERNEL_OK;
}

static unsigned tessera_rt_set_attributes(const struct tessera_rt_binary *binary,
                                          struct tessera_rt_attribute *attributes) {
  unsigned count = 0;
  memset(attributes, 0, 4 * sizeof *attributes);
  if (binary->ctas != 1) {
    attributes[count].id = 4; /* CLUSTER_DIMENSION */
    memcpy(attributes[count++].value.extents, binary->cluster, sizeof binary->cluster);
    attributes[count].id = 5; /* CLUSTER_SCHEDULING_POLICY_PREFERENCE: spread */
    attributes[count++].value.flag = 1;
  }
  if (binary->cooperative) {
    attributes[count].id = 2; /* COOPERATIVE */
    attributes[count++].value.flag = 1;
  }
  if (binary->dependent) {
    attributes[count].id = 6; /* PROGRAMMATIC_STREAM_SERIALIZATION */
    attributes[count++].value.flag = 1;
  }
  return count;
}

/* Builds the tensor maps of a launch behind its `passed` arguments. Where that is impossible, the
 * launch takes the binary without them. */
static struct tessera_rt_binary *tessera_rt_build_maps(struct tessera_rt_binary *binary,
                                                       struct tessera_rt_map *maps, void **args,
                                                       unsigned *passed) {
  unsigned i;
  if (binary->maps == 0)
    return binary;
  if (!tessera_rt_encode_tiled || !binary->build(args, maps))
    return binary->plain;
  for (i = 0; i < binary->maps; ++i)
    args[(*passed)++] = &maps[i];
  return binary;
}

/* `args` has room for tensor maps and two more after the kernel's `passed` arguments. */
static int32_t tessera_rt_run_on_gpu(const struct tessera_rt_variant *variant, void *stream,
                                     const uint32_t grid[3], void **args, unsigned passed) {
  struct tessera_rt_attribute attributes[4];
  struct tessera_rt_config config;
  struct tessera_rt_map maps[TESSERA_RT_MAPS];
  struct tessera_rt_binary *binary;
  void *context = NULL, *function = NULL;
  unsigned long long scratch = 0;
  unsigned chip = 0, i;
  int status = 0;
  int32_t problem = tessera_rt_find_gpu(variant->kernel, &context, &chip);
  if (problem != TESSERA_KERNEL_OK)
    return problem;
  binary = tessera_rt_choose(variant, chip);
  if (!binary)
    return tessera_rt_no_binary(variant, chip);
  binary = tessera_rt_build_maps(binary, maps, args, &passed);
  if (!binary)
    return tessera_rt_fail(TESSERA_KERNEL_NO_VARIANT, variant->kernel,
                           "no tensor map can be built for these arguments", "");
  if (tessera_rt_gpu->most_rows &&
      (grid[1] > tessera_rt_gpu->most_rows || grid[2] > tessera_rt_gpu->most_rows ||
       (uint64_t)grid[0] * binary->ctas > INT32_MAX))
    return tessera_rt_fail(TESSERA_KERNEL_GRID, variant->kernel, "the grid is too large for a GPU",
                           "");
  problem = tessera_rt_load(binary, variant->kernel, context, &function);
  if (problem != TESSERA_KERNEL_OK)
    return problem;
  if (binary->scratch) {
    if (!tessera_rt_gpu->allocate || !tessera_rt_gpu->release)
      return tessera_rt_fail(TESSERA_KERNEL_NO_DRIVER, variant->kernel, "the kernel needs ",
                             tessera_rt_gpu->has_allocate);
    status = tessera_rt_gpu->allocate(
        &scratch, (size_t)grid[0] * grid[1] * grid[2] * binary->ctas * binary->scratch, stream);
    if (status != 0)
      return tessera_rt_driver_failed(variant->kernel, tessera_rt_gpu->allocate_name, status);
  }
  for (i = 0; i < binary->hidden; ++i)
    args[passed + i] = &scratch;
  memset(&config, 0, sizeof config);
  config.count = tessera_rt_set_attributes(binary, attributes);
  config.attributes = attributes;
  memcpy(config.grid, grid, sizeof config.grid);
  config.grid[0] *= binary->ctas;
  config.block[0] = binary->threads;
  config.block[1] = config.block[2] = 1;
  config.shared = binary->shared;
  config.stream = stream;
  if (config.count == 0)
    status = tessera_rt_gpu->launch(function, config.grid[0], grid[1], grid[2], binary->threads, 1,
                                    1, binary->shared, stream, args, NULL);
  else if (tessera_rt_gpu->launch_ex)
    status = tessera_rt_gpu->launch_ex(&config, function, args, NULL);
  else if (tessera_rt_gpu->launch_cooperative) /* such a driver knows no other attribute */
    status = tessera_rt_gpu->launch_cooperative(
        function, grid[0], grid[1], grid[2], binary->threads, 1, 1, binary->shared, stream, args);
  else
    problem = tessera_rt_fail(TESSERA_KERNEL_NO_DRIVER, variant->kernel, "the kernel needs ",
                              tessera_rt_gpu->has_attributes);
  if (binary->scratch)
    tessera_rt_gpu->release(scratch, stream);
  return status != 0
             ? tessera_rt_driver_failed(variant->kernel, tessera_rt_gpu->launch_name, status)
             : problem;
}

static int32_t tessera_rt_load_variant(const struct tessera_rt_variant *variant) {
  void *context = NULL, *function = NULL;
  unsigned chip = 0;
  struct tessera_rt_binary *binary;
  int32_t problem = tessera_rt_find_gpu(variant->kernel, &context, &chip);
  if (problem != TESSERA_KERNEL_OK)
    return problem;
  binary = tessera_rt_choose(variant, chip);
  if (!binary)
    return tessera_rt_no_binary(variant, chip);
  problem = tessera_rt_load(binary, variant->kernel, context, &function);
  if (problem == TESSERA_KERNEL_OK && binary->plain)
    problem = tessera_rt_load(binary->plain, variant->kernel, context, &function);
  return problem;
}

static void tessera_rt_unload_binary(struct tessera_rt_binary *binary) {
  struct tessera_rt_loaded *entry = __atomic_exchange_n(&binary->loaded, NULL, __ATOMIC_ACQ_REL);
  while (entry) {
    struct tessera_rt_loaded *next = entry->next;
    void *before = tessera_rt_gpu->enter(entry->context);
    tessera_rt_gpu->unload(entry->module);
    tessera_rt_gpu->enter(before);
    free(entry);
    entry = next;
  }
}

static void tessera_rt_unload_variant(const struct tessera_rt_variant *variant) {
  unsigned i;
  for (i = 0; i < variant->count; ++i) {
    tessera_rt_unload_binary(&variant->binaries[i]);
    if (variant->binaries[i].plain)
      tessera_rt_unload_binary(variant->binaries[i].plain);
  }
}
