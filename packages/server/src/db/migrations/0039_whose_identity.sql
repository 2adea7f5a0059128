-- The migration sees the tenants' rows only while row-level security is not forced on it.
alter table arbiter.user_identities no force row level security;
alter table arbiter.sso_configs no force row level security;
alter table arbiter.second_factors no force row level security;
alter table arbiter.users no force row level security;

-- A tenant names its SAML provider as it likes, also like Google or like a provider of another tenant. The identities that such
-- a provider vouches for are told apart by the beginning of their issuer.
update arbiter.user_identities i set issuer = 'saml:' || i.issuer
  from arbiter.sso_configs c
 where c.tenant_id = i.tenant_id and i.issuer = c.saml_entity_id and i.issuer is distinct from c.oidc_issuer
   and length(i.issuer) < 2044;

-- Whether the person has a second factor that is on: an admin whose tenant requires one sees who has none.
alter table arbiter.users add column second_factor boolean not null default false;
update arbiter.users u set second_factor = true
  from arbiter.second_factors f
 where f.tenant_id = u.tenant_id and f.user_id = u.id and f.enabled_at is not null;

alter table arbiter.user_identities force row level security;
alter table arbiter.sso_configs force row level security;
alter table arbiter.second_factors force row level security;
alter table arbiter.users force row level security;
