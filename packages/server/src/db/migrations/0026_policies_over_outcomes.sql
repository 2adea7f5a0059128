-- Suppressions that policies write when an outcome is recorded (docs/design/api-catalogue.md 12).

-- What the policy was when it wrote the row: its type, config and assignments. The row is in force only while they are the
-- same.
alter table arbiter.customer_suppressions add column policy_mark text
  check ((policy_mark is null) = (policy_id is null));

-- What is left of the offers whose stock is tracked (docs/design/api-catalogue.md 6): beside the offer, because each conversion
-- changes it and an offer's own row is a version of the catalogue.
create table arbiter.offer_stock (
  tenant_id uuid not null references arbiter.tenants (id),
  offer_id uuid not null,
  remaining bigint not null check (remaining >= 0),
  primary key (tenant_id, offer_id),
  foreign key (tenant_id, offer_id) references arbiter.offers (tenant_id, id)
);
comment on table arbiter.offer_stock is 'Pieces that are left of offers whose stock is tracked.';
create index offer_stock_sold_out on arbiter.offer_stock (tenant_id, offer_id) where remaining = 0;
select arbiter.protect_table('arbiter.offer_stock');
