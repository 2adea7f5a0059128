-- Secrets of the providers that channels send by (docs/design/api-catalogue.md 5.1, 20): the config holds bullets in their
-- place, so that no record, version or audit row shows them. Sealed with DATA_ENCRYPTION_KEY.

create table arbiter.channel_secrets (
  tenant_id uuid not null,
  channel_id uuid not null,
  -- Below the channel's providerConfig: /apiKey, or /headers/ and the name in lower case.
  path text not null,
  sealed bytea not null,
  primary key (tenant_id, channel_id, path),
  constraint channel_secrets_channel foreign key (tenant_id, channel_id) references arbiter.channels (tenant_id, id)
);
select arbiter.protect_table('arbiter.channel_secrets');

-- Where a delivery finds the customer's address; null: what is usual for the type of the channel.
alter table arbiter.channels add column address_attribute text;
