import { createCommand, recordScreens } from '../../records/record-kind.ts';
import { recordKinds } from '../../records/record-kinds.ts';
import { feature } from '../../route/feature.ts';

export const segments = feature({
  name: 'segments',
  screens: recordScreens(recordKinds.segment, {
    list: () => import('./segment-list.tsx').then((module) => module.SegmentList),
    record: () => import('./segment-page.tsx').then((module) => module.SegmentPage),
    form: () => import('./form/segment-form.tsx').then((module) => module.SegmentForm),
  }),
  commands: [createCommand(recordKinds.segment)],
});
