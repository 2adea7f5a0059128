import { customers } from '../features/customers/index.ts';
import { decisions } from '../features/decisions/index.ts';
import type { Feature, Screen } from '../route/feature.ts';

/** Every feature of the console, in the order of their tiers. The routes, the rail and the palette are made from this list. */
export const features: readonly Feature[] = [customers, decisions];

/** Every screen, as tests walk them. */
export const screens: readonly Screen[] = features.flatMap((each) => each.screens);
