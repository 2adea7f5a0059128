import { createCommand, recordScreens } from '../../records/record-kind.ts';
import { recordKinds } from '../../records/record-kinds.ts';
import { feature } from '../../route/feature.ts';

export const rankingProfiles = feature({
  name: 'ranking-profiles',
  screens: recordScreens(recordKinds.rankingProfile, {
    list: () => import('./profile-list.tsx').then((module) => module.ProfileList),
    record: () => import('./profile-page.tsx').then((module) => module.ProfilePage),
    form: () => import('./profile-form.tsx').then((module) => module.ProfileForm),
  }),
  commands: [createCommand(recordKinds.rankingProfile)],
});
