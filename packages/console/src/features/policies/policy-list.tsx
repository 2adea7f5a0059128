import {
  type ContactPolicy,
  contactPolicyOperations,
  contactPolicyTypes,
} from '@arbiter/contract/catalogue/contact-policies';
import { useCallback } from 'react';
import { useList } from '../../data/use-operation.ts';
import { nameColumn, priorityColumn, statusColumn, wordColumn } from '../../forms/record-columns.tsx';
import { RecordListPage } from '../../forms/record-list.tsx';
import { plainScopes, ScopeText, useNamesOf } from '../../forms/record-name.tsx';
import { statusChoice } from '../../forms/status-badge.tsx';
import { cannotAct, policySentence, policyTypeNames, policyTexts as t } from '../../messages/policies.ts';
import { addresses } from '../../route/addresses.ts';
import { useSearch } from '../../route/use-address.ts';
import { Badge } from '../../ui/badge.tsx';
import type { Column } from '../../ui/table-column.ts';

const columns: readonly Column<ContactPolicy>[] = [
  nameColumn(),
  statusColumn,
  {
    key: 'says',
    header: t.sentence,
    cell: ({ ruleType, config }) => (
      <span className="inline-flex max-w-full items-center gap-2 align-middle">
        <span className="truncate" title={policySentence(ruleType, config)}>
          {policySentence(ruleType, config)}
        </span>
        {cannotAct(ruleType, config) ? <Badge tone="warn">{t.noLimit}</Badge> : null}
      </span>
    ),
    text: ({ ruleType, config }) => policySentence(ruleType, config),
    width: 300,
    grow: 2,
  },
  wordColumn('type', t.kind, ({ ruleType }) => policyTypeNames[ruleType], 150),
  {
    key: 'scope',
    header: t.appliesTo,
    cell: ({ scopes }) => <ScopeText scopes={scopes} />,
    text: ({ scopes }) => plainScopes(scopes),
    width: 180,
  },
  priorityColumn,
];

const typeChoice = {
  key: 'ruleType',
  label: t.kind,
  options: contactPolicyTypes.map((value) => ({ value, label: policyTypeNames[value] })),
};

/** All contact policies, in the order in which they are asked. */
export function PolicyList() {
  const [search, change] = useSearch(contactPolicyOperations.list.query);
  const namesOf = useNamesOf();
  const fileColumns = useCallback(
    async (rows: readonly ContactPolicy[]) => {
      const names = await namesOf(
        rows.flatMap(({ scopes }) => scopes.map(({ scope, scopeId }) => ({ kind: scope, id: scopeId }))),
      );
      return columns.map((column) =>
        column.key === 'scope'
          ? { ...column, text: ({ scopes }: ContactPolicy) => plainScopes(scopes, names) }
          : column,
      );
    },
    [namesOf],
  );
  const list = useList(contactPolicyOperations.list, { query: { limit: 100, ...search } });
  return (
    <RecordListPage
      list={list}
      operation={contactPolicyOperations.list}
      title={t.policies}
      lead={t.lead}
      columns={columns}
      rowTo={addresses.policy}
      filters={search}
      onFilter={change}
      choices={[typeChoice, statusChoice]}
      fileColumns={fileColumns}
      empty={{ title: t.empty, text: t.emptyText }}
    />
  );
}
