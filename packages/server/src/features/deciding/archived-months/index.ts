import type { DataClass } from '@arbiter/contract';
import type { Tx } from '../../../db/index.ts';
import { feature, type Retainer } from '../../../feature.ts';
import { firstIdAt } from '../../../platform/ids.ts';
import { removeByAge } from '../../operations/retention/index.ts';
import type { ArchiveKind } from './archived-row.ts';
import { forgetName } from './customers.store.ts';
import { removeAll, removeOlder, spoilDrafts } from './parts.store.ts';

export { type Archive, createArchive } from './archive.ts';
export { archivedMonths, findArchivedRow, readArchivedRows, remarkArchived } from './archived-months.service.ts';
export {
  type ArchivedRow,
  type ArchiveKind,
  archiveContext,
  fileColumns,
  fromParquet,
  listOf,
  rowText,
  toParquet,
} from './archived-row.ts';
export {
  firstStoredId,
  insertRows,
  lockEqualRows,
  type RowToArchive,
  rowJson,
  selectRows,
} from './archiving.store.ts';
export { customersNamed, forgetUnusedNames, namesOf } from './customers.store.ts';
export {
  decisionIsArchived,
  deletePart,
  findPart,
  firstArchivedId,
  insertPart,
  listParts,
  noteGroup,
  noteVerification,
  type Part,
  partsInState,
  pathOf,
  sealPart,
  setState,
  unexportedMonths,
  waitForErasures,
} from './parts.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['archived_parts', 'archived_customers'];

const dayMs = 86_400_000;

/** Marks files for deletion whose rows are all past the class's age. */
const retainer = (
  dataClass: DataClass,
  counted: Retainer['counted'],
  kinds: readonly ArchiveKind['name'][],
): Retainer => ({
  dataClass,
  counted,
  remove: (tx: Tx) =>
    removeByAge(tx, dataClass, async (days) => {
      const before = firstIdAt(Math.max(0, tx.now.getTime() - days * dayMs));
      return { rows: await removeOlder(tx, kinds, before), more: false };
    }),
});

/** What this feature deletes by age. */
export const archiveRetainers = [
  retainer('decisions', 'decisions', ['decisions']),
  retainer('interactions', 'history', ['interactions', 'impressions']),
];

export const archivedMonthsFeature = feature({
  name: 'archived-months',
  tables,
  // The files go with the next run of the job, which then deletes the rows.
  resets: { empties: ['archived_customers'], clears: ['archived_parts'], clear: removeAll },
  retains: archiveRetainers,
  erases: [
    {
      tables: ['archived_customers'],
      scopes: ['interactions', 'all', 'everything'],
      settle: (tx) => spoilDrafts(tx),
      erase: async (tx, { customerId }) => {
        await forgetName(tx, customerId);
        return {};
      },
    },
  ],
});
