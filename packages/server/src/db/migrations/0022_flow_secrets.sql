-- Values of headers, and user and password of urls, of extension points (api-settled.md 11): the config holds bullets in
-- their place, so that no draft, snapshot, plan, record or audit row shows them. Sealed with DATA_ENCRYPTION_KEY.

create table arbiter.flow_secrets (
  tenant_id uuid not null,
  flow_id uuid not null,
  -- 0: of the draft; else of the published version with this number.
  version integer not null check (version >= 0),
  node_id text not null,
  -- Below the node's config: /url, or /headers/ and the name in lower case.
  path text not null,
  -- Scheme, host and port of the url when the value was given: it is sent nowhere else. Empty without a url.
  origin text not null,
  sealed bytea not null,
  primary key (tenant_id, flow_id, version, node_id, path),
  constraint flow_secrets_flow foreign key (tenant_id, flow_id) references arbiter.decision_flows (tenant_id, id)
);
select arbiter.protect_table('arbiter.flow_secrets');
