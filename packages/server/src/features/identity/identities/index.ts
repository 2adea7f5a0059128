import { feature } from '../../../feature.ts';

export { areSameSubject, type Identity, linkIdentity } from './identities.service.ts';
export { selectPlacesOf, selectSubjectOf, selectUserOf } from './identities.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['user_identities'];

export const identitiesFeature = feature({
  name: 'identities',
  tables,
  resets: { keeps: { user_identities: 'how people sign in is kept' } },
});
