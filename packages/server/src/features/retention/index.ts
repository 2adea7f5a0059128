import { feature } from '../../feature.ts';

export { changeRetention, type DataClass, type Retention, retentionOf } from './retention.service.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['retention_configs'];

export const retentionFeature = feature({ name: 'retention', tables });
