import { recordScreens } from '../../records/record-kind.ts';
import { recordKinds } from '../../records/record-kinds.ts';
import { feature } from '../../route/feature.ts';

export const schemas = feature({
  name: 'schemas',
  screens: recordScreens(recordKinds.schema, {
    list: () => import('./schema-list.tsx').then((module) => module.SchemaList),
    record: () => import('./schema-page.tsx').then((module) => module.SchemaPage),
  }),
});
