import { type ContactPolicy, contactPolicyOperations, contactPolicyTypes } from '@arbiter/contract/contact-policies';
import { RecordList } from '../../forms/record-list.tsx';
import { ScopeText } from '../../forms/record-name.tsx';
import { StatusBadge, statusChoice } from '../../forms/status-badge.tsx';
import { listTexts } from '../../messages/lists.ts';
import { cannotAct, policySentence, policyTypeNames, policyTexts as t } from '../../messages/policies.ts';
import { addresses } from '../../route/addresses.ts';
import { useSearch } from '../../route/use-address.ts';
import { Badge } from '../../ui/badge.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import type { Column } from '../../ui/table-column.ts';

const columns: readonly Column<ContactPolicy>[] = [
  { key: 'name', header: listTexts.name, cell: ({ name }) => name, sortBy: ({ name }) => name, width: 220 },
  {
    key: 'says',
    header: t.says,
    cell: ({ ruleType, config }) => (
      <span className="inline-flex max-w-full items-center gap-2">
        <span className="truncate" title={policySentence(ruleType, config)}>
          {policySentence(ruleType, config)}
        </span>
        {cannotAct(ruleType, config) ? <Badge tone="warn">{t.noLimit}</Badge> : null}
      </span>
    ),
    width: 300,
    grow: 2,
  },
  {
    key: 'type',
    header: t.kind,
    cell: ({ ruleType }) => policyTypeNames[ruleType],
    sortBy: ({ ruleType }) => policyTypeNames[ruleType],
    width: 150,
    grow: 0,
  },
  { key: 'scope', header: t.appliesTo, cell: ({ scopes }) => <ScopeText scopes={scopes} />, width: 180 },
  {
    key: 'priority',
    header: listTexts.priority,
    cell: ({ priority }) => priority,
    sortBy: ({ priority }) => priority,
    align: 'end',
    width: 90,
    grow: 0,
  },
  {
    key: 'status',
    header: listTexts.status,
    cell: ({ status }) => <StatusBadge status={status} />,
    sortBy: ({ status }) => status,
    width: 110,
    grow: 0,
  },
];

const typeChoice = {
  key: 'ruleType',
  label: t.kind,
  options: contactPolicyTypes.map((value) => ({ value, label: policyTypeNames[value] })),
};

/** All contact policies, in the order in which they are asked. */
export function PolicyList() {
  const [search, change] = useSearch(contactPolicyOperations.list.query);
  return (
    <Page title={t.policies} lead={t.lead}>
      <RecordList
        operation={contactPolicyOperations.list}
        input={{ query: { limit: 100, ...search } }}
        label={t.policies}
        columns={columns}
        rowKey={({ id }) => id}
        rowTo={({ id }) => addresses.policy(id)}
        filters={search}
        onFilter={change}
        choices={[typeChoice, statusChoice]}
        empty={<Empty title={t.empty}>{t.emptyText}</Empty>}
      />
    </Page>
  );
}
