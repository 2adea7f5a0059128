/**
 * Settings for statements that are planned once per connection and find every row by key. Young tables have no statistics yet,
 * and a sequential scan chosen for that reason would lock or read a whole tenant. To avoid index scans of a whole tenant,
 * only one index of a table begins with it for all statements (docs/adr/0102).
 */
export const plannerSettings = [
  ['plan_cache_mode', 'force_generic_plan'],
  ['enable_seqscan', 'off'],
  ['enable_hashjoin', 'off'],
  ['enable_mergejoin', 'off'],
  ['jit', 'off'],
] as const;
