import {
  type QualificationRule,
  qualificationRuleOperations,
  qualificationRuleTypes,
  qualificationStages,
} from '@arbiter/contract/qualification-rules';
import { useList } from '../../data/use-operation.ts';
import { nameColumn, priorityColumn, statusColumn, wordColumn } from '../../forms/record-columns.tsx';
import { RecordListPage } from '../../forms/record-list.tsx';
import { plainScopes, ScopeText } from '../../forms/record-name.tsx';
import { RuleSentence } from '../../forms/rule-sentence.tsx';
import { statusChoice } from '../../forms/status-badge.tsx';
import { listTexts } from '../../messages/lists.ts';
import { consequence, ruleSentence, ruleTypeNames, ruleTexts as t } from '../../messages/rules.ts';
import { addresses } from '../../route/addresses.ts';
import { useSearch } from '../../route/use-address.ts';
import type { Column } from '../../ui/table-column.ts';

const columns: readonly Column<QualificationRule>[] = [
  nameColumn(200),
  {
    key: 'asks',
    header: t.asks,
    cell: (rule) => <RuleSentence rule={rule} />,
    text: ({ ruleType, config }) => ruleSentence(ruleType, config),
    width: 260,
    grow: 2,
  },
  wordColumn('stage', t.stage, ({ stage }) => stage, 100),
  {
    key: 'otherwise',
    header: t.otherwise,
    cell: ({ stage, config }) => consequence(stage, config),
    text: ({ stage, config }) => consequence(stage, config),
    width: 190,
    grow: 0,
  },
  {
    key: 'scope',
    header: t.appliesTo,
    cell: ({ scopes }) => <ScopeText scopes={scopes} />,
    text: ({ scopes }) => plainScopes(scopes),
    width: 180,
  },
  priorityColumn,
  statusColumn,
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
  const list = useList(qualificationRuleOperations.list, { query: { limit: 100, ...search } });
  return (
    <RecordListPage
      list={list}
      operation={qualificationRuleOperations.list}
      title={t.rules}
      lead={t.lead}
      columns={columns}
      rowTo={addresses.rule}
      filters={search}
      onFilter={change}
      choices={choices}
      empty={{ title: t.empty, text: t.emptyText }}
    />
  );
}
