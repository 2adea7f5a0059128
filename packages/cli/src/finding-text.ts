/** A place in a file, as a check names it. */
interface Place {
  readonly name: string;
  readonly file: string;
  readonly pointer: string;
}

interface FoundConflict {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly flows: readonly string[];
  readonly subject: Place;
  readonly core: readonly Place[];
  readonly repairs: readonly { readonly without: readonly Place[]; readonly witness: Witness }[];
}

interface Witness {
  readonly at: string;
  readonly profile: object;
  readonly attributes: object;
  readonly context: object;
  readonly segments: readonly string[];
  readonly channelId: string | null;
}

const placeText = ({ file, pointer }: Place): string => (pointer === '' ? file : `${file}#${pointer}`);

const listText = (places: readonly Place[]): string => {
  const names = places.map(({ name }) => `“${name}”`);
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
};

/** Returns the lines for a finding: what and where, the gates that exclude each other, and the repairs that were tried. */
export function findingLines({ code, severity, message, flows, subject, core, repairs }: FoundConflict): string[] {
  return [
    `${placeText(subject)}: ${severity} ${code} (${flows.join(', ')})`,
    `    ${message}`,
    ...core.map((gate) => `    gate    “${gate.name}” in ${placeText(gate)}`),
    ...repairs.map(
      ({ without, witness }) => `    repair  without ${listText(without)}: shown to ${witnessText(witness)}`,
    ),
  ];
}

/** Returns the customer and the request of a witness on one line. */
function witnessText({ at, profile, attributes, context, segments, channelId }: Witness): string {
  const parts = Object.entries({ customer: profile, attributes, context }).flatMap(([name, values]) =>
    Object.keys(values).length === 0 ? [] : [`${name} ${JSON.stringify(values)}`],
  );
  if (segments.length > 0) parts.push(`segments ${segments.join(', ')}`);
  if (channelId !== null) parts.push(`channel ${channelId}`);
  return [parts.length === 0 ? 'any customer' : parts.join(', '), `at ${at}`].join(' ');
}
