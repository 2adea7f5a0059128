import { createCommand, recordScreens } from '../../records/record-kind.ts';
import { recordKinds } from '../../records/record-kinds.ts';
import { feature } from '../../route/feature.ts';

export const creatives = feature({
  name: 'creatives',
  screens: recordScreens(recordKinds.creative, {
    list: () => import('./creative-list.tsx').then((module) => module.CreativeList),
    record: () => import('./creative-page.tsx').then((module) => module.CreativePage),
    form: () => import('./form/creative-form.tsx').then((module) => module.CreativeForm),
  }),
  commands: [createCommand(recordKinds.creative)],
});
