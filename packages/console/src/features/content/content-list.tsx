import { type ContentItem, contentOperations, contentStatuses } from '@arbiter/contract/catalogue/content';
import { CreateLink } from '../../forms/editing/record-links.tsx';
import { changedColumn, nameColumn, wordColumn } from '../../forms/record-columns.tsx';
import { RecordList } from '../../forms/record-list.tsx';
import { StatusBadge } from '../../forms/status-badge.tsx';
import { channelTypeName } from '../../messages/catalogue/type-names.ts';
import { contentTexts as t } from '../../messages/content/items.ts';
import { listTexts } from '../../messages/lists/lists.ts';
import type { Column } from '../../ui/table/table-column.ts';
import { whyNotChange } from './content-enabled.ts';
import { ContentOff } from './content-off.tsx';

const live = ({ publishedVersion }: ContentItem): string =>
  publishedVersion === null ? t.notPublished : t.version(publishedVersion);

const columns: readonly Column<ContentItem>[] = [
  nameColumn(240),
  {
    key: 'status',
    header: listTexts.status,
    cell: ({ status }) => <StatusBadge status={status} />,
    text: ({ status }) => t.statuses[status],
    sortBy: ({ status }) => status,
    corner: true,
    width: 120,
    grow: 0,
  },
  wordColumn('live', t.live, live, 120),
  wordColumn('channel', t.channelType, ({ channelType }) => channelTypeName(channelType), 110),
  wordColumn('kind', listTexts.type, ({ isTemplate }) => (isTemplate ? t.template : t.item), 110),
  wordColumn('parent', t.parent, ({ parentTemplate }) => parentTemplate?.name ?? t.none, 180, 'grows'),
  changedColumn,
];

const statusChoice = {
  key: 'status',
  label: listTexts.status,
  options: contentStatuses.map((value) => ({ value, label: t.statuses[value] })),
};
const kindChoice = {
  key: 'isTemplate',
  label: listTexts.type,
  options: [
    { value: 'true', label: t.templates },
    { value: 'false', label: t.items },
  ],
};

/** All content items, archived ones included. */
export function ContentList() {
  const create = <CreateLink kind="contentItem" operation={contentOperations.create} disabledReason={whyNotChange()} />;
  return (
    <RecordList
      kind="contentItem"
      operation={contentOperations.list}
      lead={t.lead}
      notice={<ContentOff />}
      actions={create}
      columns={columns}
      choices={[statusChoice, kindChoice]}
      empty={{ title: t.empty, text: t.emptyText, next: create }}
    />
  );
}
