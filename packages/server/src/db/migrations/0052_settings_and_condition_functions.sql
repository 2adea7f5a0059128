-- Two settings that no feature reads are gone. The owner is subject to the tenants' policy, so it's lifted for the statement.
alter table arbiter.tenant_settings no force row level security;
update arbiter.tenant_settings set overrides = overrides - 'enableGuardrails' - 'flowIrEnabled'
 where overrides ?| array['enableGuardrails', 'flowIrEnabled'];
alter table arbiter.tenant_settings force row level security;

-- Linters warn (`function_search_path_mutable`) that the condition functions have no `search_path` of their own. They don't
-- get one: PostgreSQL wouldn't inline a SQL function that has a `set`, and every call of a PL/pgSQL one would pay for it, for
-- each row of a segment. They are safe without:
--
-- * The SQL functions have bodies in the standard's form (`return ...`), which name the objects that were found when the
--   function was created. No later search_path changes them.
-- * The PL/pgSQL functions call nothing but pg_catalog, which is searched first unless a session itself puts another schema
--   in front of it, and `arbiter.` functions by their full names. They run with the rights of their caller.
--
-- A test (db/function-names.test.ts) refuses a function of the schema that is neither of these and has no search_path.
comment on function arbiter.condition_float(numeric) is 'Names pg_catalog only; no search_path, for speed.';
comment on function arbiter.condition_number(text) is 'Names pg_catalog and arbiter only; no search_path, for speed.';
comment on function arbiter.condition_instant(text) is 'Names pg_catalog only; no search_path, for speed.';
comment on function arbiter.condition_json(jsonb, text, jsonb) is
  'Names pg_catalog and arbiter only; no search_path, for speed.';
