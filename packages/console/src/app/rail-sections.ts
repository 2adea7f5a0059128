import { type RailGroup, type RailPlace, railGroups, type Screen } from '../route/feature.ts';

export interface RailEntry {
  readonly screen: Screen;
  readonly place: RailPlace;
}

export interface RailSection {
  readonly group: RailGroup;
  readonly entries: readonly RailEntry[];
}

/**
 * Returns the sidebar groups with their screens. Same for every role, so that places stay put, except for groups without a
 * readable screen.
 */
export function railOf(
  screens: readonly Screen[],
  isReadable: (screen: Screen) => boolean = () => true,
): readonly RailSection[] {
  const entries = screens.flatMap((screen) => (screen.rail === undefined ? [] : [{ screen, place: screen.rail }]));
  return railGroups
    .map((group) => ({
      group,
      entries: entries.filter(({ place }) => place.group === group).sort((a, b) => a.place.order - b.place.order),
    }))
    .filter((section) => section.entries.some(({ screen }) => isReadable(screen)));
}

/** Returns the entry of an address: the one with the longest matching path. */
export function railEntryOf(sections: readonly RailSection[], address: string): RailEntry | null {
  const fitting = sections
    .flatMap(({ entries }) => entries)
    .filter(({ screen: { path } }) => address === path || (path !== '/' && address.startsWith(`${path}/`)));
  return fitting.sort((a, b) => b.screen.path.length - a.screen.path.length)[0] ?? null;
}
