-- Decisions read the newest rows of a customer in joined tables: the rows of one key, ordered by the primary key.

-- The index for that, unless the column alone is unique or there is such an index.
create function arbiter.ds_index_group(table_name text, column_name text, order_name text) returns void
  language plpgsql security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  qualified text := arbiter.ds_table(table_name, true);
begin
  perform arbiter.ds_check_column(column_name);
  perform arbiter.ds_check_column(order_name);
  if exists (
    select from pg_index i
      join pg_attribute t on t.attrelid = i.indrelid and t.attnum = i.indkey[0] and t.attname = 'tenant_id'
      join pg_attribute c on c.attrelid = i.indrelid and c.attnum = i.indkey[1] and c.attname = column_name
      left join pg_attribute o on o.attrelid = i.indrelid and o.attnum = i.indkey[2]
     where i.indrelid = qualified::regclass and i.indpred is null
       and ((i.indisunique and i.indnkeyatts = 2) or o.attname = order_name)) then
    return;
  end if;
  execute format('create index on %s (tenant_id, %I, %I)', qualified, column_name, order_name);
end
$$;

revoke all on function arbiter.ds_index_group(text, text, text) from public;
grant execute on function arbiter.ds_index_group(text, text, text) to arbiter_app;
