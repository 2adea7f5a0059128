-- Lists of decisions and of their traces (docs/design/api-settled.md, "Decisions as a list").

-- By customer and by flow each decision has an entry; empty and explored ones, which are looked for because they are few,
-- have one of their own, so that most decisions pay nothing for them (docs/adr/0031-lists-read-plain-columns.md).
create index decisions_customer on arbiter.decisions (tenant_id, customer_ref, id);
create index decisions_flow on arbiter.decisions (tenant_id, flow_id, id);
create index decisions_empty on arbiter.decisions (tenant_id, empty_code, id) where empty_code is not null;
create index decisions_explored on arbiter.decisions (tenant_id, id) where explored;

create index decision_traces_flow on arbiter.decision_traces (tenant_id, decision_flow_key, id);
