import {
  type QualificationRule,
  qualificationRuleOperations,
  qualificationRuleTypes,
  qualificationStages,
} from '@arbiter/contract/catalogue/qualification-rules';
import { useCallback } from 'react';
import { useList } from '../../data/use-operation.ts';
import { nameColumn, priorityColumn, statusColumn, wordColumn } from '../../forms/record-columns.tsx';
import { RecordListPage } from '../../forms/record-list.tsx';
import { type Names, plainScopes, ScopeText, useNamesOf } from '../../forms/record-name.tsx';
import { RuleSentence } from '../../forms/rule-sentence.tsx';
import { statusChoice } from '../../forms/status-badge.tsx';
import { listTexts } from '../../messages/lists.ts';
import { consequence, ruleSentence, ruleTypeNames, ruleTexts as t } from '../../messages/rules.ts';
import { addresses } from '../../route/addresses.ts';
import { useSearch } from '../../route/use-address.ts';
import type { Column } from '../../ui/table-column.ts';

/** What a rule points at by ids: where it applies, and the segments that it asks for. */
const pointsAt = ({ scopes, config: { requiredSegments } }: QualificationRule) => [
  ...scopes.map(({ scope, scopeId }) => ({ kind: scope, id: scopeId })),
  ...(Array.isArray(requiredSegments) ? requiredSegments : []).map((id) => ({ kind: 'segment', id: String(id) })),
];

const columnsWith = (names: Names): readonly Column<QualificationRule>[] => [
  nameColumn(200),
  statusColumn,
  {
    key: 'asks',
    header: t.asks,
    cell: (rule) => <RuleSentence rule={rule} />,
    text: ({ ruleType, config }) => ruleSentence(ruleType, config, (segment) => names.get(segment) ?? segment),
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
    text: ({ scopes }) => plainScopes(scopes, names),
    width: 180,
  },
  priorityColumn,
];
const columns = columnsWith(new Map());

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
  const namesOf = useNamesOf();
  const fileColumns = useCallback(
    async (rows: readonly QualificationRule[]) => columnsWith(await namesOf(rows.flatMap(pointsAt))),
    [namesOf],
  );
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
      fileColumns={fileColumns}
      empty={{ title: t.empty, text: t.emptyText }}
    />
  );
}
