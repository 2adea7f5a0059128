import {
  type QualificationRule,
  qualificationRuleOperations,
  qualificationRuleTypes,
  qualificationStages,
} from '@arbiter/contract/catalogue/qualification-rules';
import { useCallback } from 'react';
import { statusField } from '../../forms/bulk/bulk-fields.ts';
import { CreateLink } from '../../forms/editing/record-links.tsx';
import { nameColumn, priorityColumn, statusColumn, wordColumn } from '../../forms/record-columns.tsx';
import { RecordList } from '../../forms/record-list.tsx';
import { type Names, plainScopes, ScopeText, useNamesOf } from '../../forms/record-name.tsx';
import { RuleSentence } from '../../forms/rule-sentence.tsx';
import { statusChoice } from '../../forms/status-badge.tsx';
import { consequence, ruleSentence, ruleTypeNames, ruleTexts as t } from '../../messages/catalogue/rules.ts';
import { listTexts } from '../../messages/lists/lists.ts';
import type { Column } from '../../ui/table/table-column.ts';

/** Returns the records that a rule refers to by ID: its scopes and segments. */
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

const bulk = { operations: qualificationRuleOperations, fields: [statusField, { name: 'priority' }] };

/** All qualification rules. */
export function RuleList() {
  const namesOf = useNamesOf();
  const fileColumns = useCallback(
    async (rows: readonly QualificationRule[]) => columnsWith(await namesOf(rows.flatMap(pointsAt))),
    [namesOf],
  );
  return (
    <RecordList
      kind="qualificationRule"
      operation={qualificationRuleOperations.list}
      fileColumns={fileColumns}
      lead={t.lead}
      actions={<CreateLink kind="qualificationRule" operation={qualificationRuleOperations.create} />}
      columns={columns}
      bulk={bulk}
      choices={choices}
      empty={{
        title: t.empty,
        text: t.emptyText,
        next: <CreateLink kind="qualificationRule" operation={qualificationRuleOperations.create} />,
      }}
    />
  );
}
