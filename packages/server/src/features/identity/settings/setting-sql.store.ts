/**
 * SQL of a setting of the tenant as text, for values of other features' statements. `tenant`, `name` and `missing`: SQL of the
 * tenant's id, of the setting's name and of its default.
 */
export const settingSql = (tenant: string, name: string, missing: string): string =>
  `coalesce((select s.overrides ->> ${name} from arbiter.tenant_settings s where s.tenant_id = ${tenant}), ${missing})`;
