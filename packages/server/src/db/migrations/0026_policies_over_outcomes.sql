-- Suppressions that policies write when an outcome is recorded (docs/design/api-catalogue.md 12).

-- What the policy was when it wrote the row: its type, config and assignments. The row is in force only while they are the
-- same.
alter table arbiter.customer_suppressions add column policy_mark text
  check ((policy_mark is null) = (policy_id is null));
