import {
  type QualificationRule,
  qualificationRuleOperations,
  qualificationRuleTypes,
  qualificationStages,
} from '@arbiter/contract/qualification-rules';
import { RecordList } from '../../forms/record-list.tsx';
import { ScopeText } from '../../forms/record-name.tsx';
import { StatusBadge, statusChoice } from '../../forms/status-badge.tsx';
import { listTexts } from '../../messages/lists.ts';
import { consequence, ruleSentence, ruleTypeNames, ruleTexts as t } from '../../messages/rules.ts';
import { addresses } from '../../route/addresses.ts';
import { useSearch } from '../../route/use-address.ts';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import type { Column } from '../../ui/table-column.ts';

const columns: readonly Column<QualificationRule>[] = [
  { key: 'name', header: listTexts.name, cell: ({ name }) => name, sortBy: ({ name }) => name, width: 200 },
  {
    key: 'asks',
    header: t.asks,
    cell: ({ ruleType, config }) => (
      <span title={ruleSentence(ruleType, config)}>{ruleSentence(ruleType, config)}</span>
    ),
    width: 260,
    grow: 2,
  },
  { key: 'stage', header: t.stage, cell: ({ stage }) => stage, sortBy: ({ stage }) => stage, width: 100, grow: 0 },
  {
    key: 'otherwise',
    header: t.otherwise,
    cell: ({ stage, config }) => consequence(stage, config),
    width: 190,
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

const choices = [
  { key: 'stage', label: t.stage, options: qualificationStages.map((value) => ({ value, label: value })) },
  {
    key: 'ruleType',
    label: listTexts.type,
    options: qualificationRuleTypes.map((value) => ({ value, label: ruleTypeNames[value] })),
  },
  statusChoice,
];

/** All qualification rules. */
export function RuleList() {
  const [search, change] = useSearch(qualificationRuleOperations.list.query);
  return (
    <Page title={t.rules} lead={t.lead}>
      <RecordList
        operation={qualificationRuleOperations.list}
        input={{ query: { limit: 100, ...search } }}
        label={t.rules}
        columns={columns}
        rowKey={({ id }) => id}
        rowTo={({ id }) => addresses.rule(id)}
        filters={search}
        onFilter={change}
        choices={choices}
        empty={<Empty title={t.empty}>{t.emptyText}</Empty>}
      />
    </Page>
  );
}
