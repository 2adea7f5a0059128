import { feature } from '../../feature.ts';

export { changeRetention, type DataClass, type Retention, retentionOf } from './retention.service.ts';

/** Tables of this feature: nobody else's code names them (see the walls). */
export const tables = ['retention_configs'];

export const retentionFeature = feature({ name: 'retention', tables });
