import { feature } from '../../../feature.ts';

export {
  type BatchCustomer,
  type BatchCustomers,
  fillLog,
  isLogShort,
  makeMissing,
  takeCustomers,
} from './batch-customers.ts';
export { createKeyedHash, type KeyedHash } from './customer-hash.ts';
export { type CustomerKeys, createCustomerKeys } from './customer-keys.ts';
export { addContact, addOutcome, type CustomerState, instantFor, laneOf, prune } from './customer-state.ts';
export { decodeState, encodeState } from './customer-state-codec.ts';
export { erasedAt, erasureMark, readErasures, recordErasure } from './erasures.store.ts';
export { forgetOffers } from './forget-offers.ts';
export { customerNumbers } from './numbers.ts';
export {
  dataKeysOf,
  ensureStates,
  findRef,
  forgetState,
  joinCustomer,
  joinedCustomer,
  type KeptSuppression,
  lockMadeStates,
  lockOrMakeStates,
  lockStates,
  lockStatesInOrder,
  readState,
  readStates,
  refOfCustomer,
  rekeyState,
  resetState,
  type SavedState,
  saveHeldStates,
  saveStates,
  saveSuppressions,
} from './states.store.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['customer_erasures', 'customer_states'];

export const customerStatesFeature = feature({
  name: 'customer-states',
  tables,
  resets: { empties: tables },
});
