import { feature } from '../../../feature.ts';
import { catalogueChanged } from './catalogue-history.events.ts';
import { forgetRecordVersions } from './catalogue-history.store.ts';

export {
  catalogueAsOf,
  catalogueAt,
  type GovernedType,
  governedTypes,
  recordAsOf,
} from './catalogue-history.service.ts';
export {
  countVersions,
  type StoredVersion as KeptVersion,
  selectVersions,
  selectVersionsNumbered,
} from './catalogue-history.store.ts';

/** Tables of this feature: nobody else's code names them (see the walls). */
export const tables = ['catalogue_log', 'record_versions'];

export const catalogueHistoryFeature = feature({
  name: 'catalogue-history',
  tables,
  events: [catalogueChanged],
  resets: {
    clears: ['record_versions'],
    keeps: { catalogue_log: 'numbers and instants that identify versions of the remaining records' },
    end: forgetRecordVersions,
  },
});
