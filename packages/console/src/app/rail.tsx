import { railGroupTitles, shellTexts } from '../messages/shell.ts';
import { Link } from '../ui/link.tsx';
import type { RailEntry, RailSection } from './rail-sections.ts';

/** The pages, by groups; the current one is marked. */
export function Rail({ sections, current }: { sections: readonly RailSection[]; current: RailEntry | null }) {
  return (
    <nav aria-label={shellTexts.navigation} className="w-60 overflow-auto border-line border-e bg-surface p-2">
      {sections.map(({ group, entries }) => (
        <section key={group} className="mb-3">
          {railGroupTitles[group] === '' ? null : (
            <h2 className="px-2 py-1 font-medium text-caption text-faint">{railGroupTitles[group]}</h2>
          )}
          <ul>
            {entries.map((entry) => (
              <li key={entry.screen.path}>
                <RailLink entry={entry} current={entry === current} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

function RailLink({ entry: { screen, place }, current }: { entry: RailEntry; current: boolean }) {
  const Icon = place.icon;
  const look = current ? 'bg-accent-soft font-medium text-accent-ink' : 'text-soft hover:bg-hover hover:text-ink';
  return (
    <Link
      aria-current={current ? 'page' : undefined}
      className={`flex h-8 items-center gap-2 rounded-control px-2 ${look}`}
      look="plain"
      to={screen.path}
    >
      <Icon aria-hidden="true" size={16} strokeWidth={1.75} />
      {screen.title}
    </Link>
  );
}
