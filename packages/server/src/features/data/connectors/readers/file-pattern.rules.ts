/** One step of a pattern: a letter, or a wildcard. */
type Step = { readonly letter: string } | { readonly wildcard: 'one' | 'many' | 'any' };

const longest = 500;

function stepsOf(pattern: string): Step[] {
  const steps: Step[] = [];
  for (const part of pattern.slice(0, longest).split(/(\*\*\/?|\*|\?)/)) {
    if (part.startsWith('**')) steps.push({ wildcard: 'any' });
    else if (part === '*') steps.push({ wildcard: 'many' });
    else if (part === '?') steps.push({ wildcard: 'one' });
    else steps.push(...[...part].map((letter) => ({ letter })));
  }
  return steps;
}

/**
 * Returns whether names match a pattern: `*` is any text within a folder, `**` across folders, `?` one letter. Takes time in
 * proportion to the lengths of both, whatever they are.
 */
export function patternOf(pattern: string): (name: string) => boolean {
  const steps = stepsOf(pattern);
  const isOpen = (step: Step | undefined): boolean =>
    step !== undefined && 'wildcard' in step && step.wildcard !== 'one';
  /** Adds the states that are reached without reading a letter. */
  const add = (places: Set<number>, place: number): void => {
    places.add(place);
    if (isOpen(steps[place])) add(places, place + 1);
  };
  return (name) => {
    let places = new Set<number>();
    add(places, 0);
    for (const letter of name) {
      const next = new Set<number>();
      for (const place of places) {
        const step = steps[place];
        if (step === undefined) continue;
        if ('letter' in step) {
          if (step.letter === letter) add(next, place + 1);
        } else if (step.wildcard === 'any' || letter !== '/') {
          add(next, step.wildcard === 'one' ? place + 1 : place);
        }
      }
      places = next;
    }
    return places.has(steps.length);
  };
}
