import { type RankingProfile, rankingProfileOperations } from '@arbiter/contract/catalogue/ranking-profiles';
import { CreateLink } from '../../forms/editing/record-links.tsx';
import { changedColumn, keyColumn, nameColumn } from '../../forms/record-columns.tsx';
import { RecordList } from '../../forms/record-list.tsx';
import { profileTexts as t } from '../../messages/catalogue/ranking-profiles.ts';
import type { Column } from '../../ui/table/table-column.ts';
import { sharesOf } from './weights.ts';

const weightsText = ({ weights }: RankingProfile): string =>
  sharesOf(weights)
    .map(({ key, share }) => `${t.objectives[key] ?? key} ${Math.round(share * 100)}%`)
    .join(', ');

const columns: readonly Column<RankingProfile>[] = [
  nameColumn(220),
  keyColumn(160),
  { key: 'weights', header: t.weights, cell: weightsText, text: weightsText, width: 320, grow: 2 },
  changedColumn,
];

/** All ranking profiles. */
export function ProfileList() {
  const create = <CreateLink kind="rankingProfile" operation={rankingProfileOperations.create} />;
  return (
    <RecordList
      kind="rankingProfile"
      operation={rankingProfileOperations.list}
      lead={t.lead}
      actions={create}
      columns={columns}
      empty={{ title: t.empty, text: t.emptyText, next: create }}
    />
  );
}
