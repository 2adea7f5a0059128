import { type ContactPolicy, contactPolicyOperations } from '@arbiter/contract/catalogue/contact-policies';
import { contactPolicyTypes } from '@arbiter/contract/deciding/contact-policy-parts';
import { useCallback } from 'react';
import { statusField } from '../../forms/bulk/bulk-fields.ts';
import { CreateLink } from '../../forms/editing/record-links.tsx';
import { nameColumn, priorityColumn, statusColumn, wordColumn } from '../../forms/record-columns.tsx';
import { RecordList } from '../../forms/record-list.tsx';
import { plainScopes, ScopeText, useNamesOf } from '../../forms/record-name.tsx';
import { statusChoice } from '../../forms/status-badge.tsx';
import { catalogueTitles } from '../../messages/catalogue/catalogue-titles.ts';
import { cannotAct, policySentence, policyTypeNames, policyTexts as t } from '../../messages/catalogue/policies.ts';
import { addresses } from '../../route/addresses.ts';
import { Badge } from '../../ui/badge.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import type { Column } from '../../ui/table/table-column.ts';

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

const bulk = { operations: contactPolicyOperations, fields: [statusField, { name: 'priority' }] };

/** All contact policies, in the order of evaluation. */
export function PolicyList() {
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
  return (
    <RecordList
      kind="contactPolicy"
      operation={contactPolicyOperations.list}
      fileColumns={fileColumns}
      lead={t.lead}
      actions={
        <>
          <ButtonLink to={addresses.policyStudio()}>{catalogueTitles.policyStudio}</ButtonLink>
          <CreateLink kind="contactPolicy" operation={contactPolicyOperations.create} />
        </>
      }
      columns={columns}
      bulk={bulk}
      choices={[typeChoice, statusChoice]}
      empty={{
        title: t.empty,
        text: t.emptyText,
        next: <CreateLink kind="contactPolicy" operation={contactPolicyOperations.create} />,
      }}
    />
  );
}
