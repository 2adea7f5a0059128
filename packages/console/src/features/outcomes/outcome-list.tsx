import { type OutcomeType, outcomeTypeOperations } from '@arbiter/contract/catalogue/outcome-types';
import { CreateLink } from '../../forms/editing/record-links.tsx';
import { keyColumn, nameColumn, statusColumn, wordColumn } from '../../forms/record-columns.tsx';
import { RecordList } from '../../forms/record-list.tsx';
import { outcomeTexts as t } from '../../messages/catalogue/outcomes.ts';
import { listTexts } from '../../messages/lists/lists.ts';
import { Badge } from '../../ui/badge.tsx';
import type { Column } from '../../ui/table/table-column.ts';
import { classificationTones } from './outcome-look.ts';

const columns: readonly Column<OutcomeType>[] = [
  nameColumn(200),
  statusColumn,
  keyColumn(160),
  {
    key: 'classification',
    header: t.classification,
    cell: ({ classification }) => (
      <Badge tone={classificationTones[classification]}>{t.classifications[classification]}</Badge>
    ),
    text: ({ classification }) => t.classifications[classification],
    sortBy: ({ classification }) => classification,
    width: 110,
    grow: 0,
  },
  wordColumn('category', t.category, ({ category }) => t.categories[category], 110),
  wordColumn('conversion', t.conversion, ({ isConversion }) => (isConversion ? t.yes : t.no), 110),
  {
    key: 'builtIn',
    header: t.builtInColumn,
    cell: ({ isSystem }) => (isSystem ? t.yes : t.no),
    text: ({ isSystem }) => (isSystem ? t.yes : t.no),
    width: 90,
    grow: 0,
  },
];

const optionsOf = (texts: Readonly<Record<string, string>>) =>
  Object.entries(texts).map(([value, label]) => ({ value, label }));
const choices = [
  { key: 'classification', label: t.classification, options: optionsOf(t.classifications), any: t.anyClassification },
  { key: 'category', label: t.category, options: optionsOf(t.categories) },
  { key: 'status', label: listTexts.status, options: optionsOf({ active: 'active', inactive: 'inactive' }) },
];

/** All outcome types. */
export function OutcomeList() {
  const create = <CreateLink kind="outcomeType" operation={outcomeTypeOperations.create} />;
  return (
    <RecordList
      kind="outcomeType"
      operation={outcomeTypeOperations.list}
      lead={t.lead}
      actions={create}
      columns={columns}
      choices={choices}
      empty={{ title: t.empty, text: t.emptyText, next: create }}
    />
  );
}
