import type { User, userStatuses } from '@arbiter/contract/identity/users';

/** A person to invite. */
export interface Invitee {
  /** As typed. */
  readonly line: string;
  readonly email: string;
  readonly name?: string;
}

export interface Invitees {
  /** Each address once. */
  readonly people: readonly Invitee[];
  /** Entries that aren't addresses. */
  readonly wrong: readonly string[];
}

const named = /^(?<name>[^<>]*)<(?<email>[^<>]+)>$/;
const address = /^[^\s@<>,;]+@[^\s@<>,;]+$/;

/** Reads addresses from text, separated by lines, commas or semicolons: `ada@example.com`, `Ada <ada@example.com>`. */
export function readInvitees(text: string): Invitees {
  const people = new Map<string, Invitee>();
  const wrong: string[] = [];
  for (const line of text.split(/[\n,;]+/).map((each) => each.trim())) {
    if (line === '') continue;
    const { name = '', email = line } = named.exec(line)?.groups ?? {};
    const trimmed = email.trim();
    if (!address.test(trimmed)) wrong.push(line);
    else if (!people.has(trimmed.toLowerCase())) {
      people.set(trimmed.toLowerCase(), { line, email: trimmed, ...(name.trim() === '' ? {} : { name: name.trim() }) });
    }
  }
  return { people: [...people.values()], wrong };
}

/** Actions for a person. A reason means the action isn't available. */
export interface PersonActs {
  readonly resend: 'accepted' | null;
  readonly unlock: boolean;
  readonly resetFactor: 'noFactor' | 'ownFactor' | null;
  readonly deactivate: 'inactive' | 'ownDeactivate' | null;
  readonly isInvited: boolean;
  readonly isDeactivated: boolean;
}

/** Returns what an admin can do with a person. `me`: the admin's own ID. */
export function actsOn(
  { id, status, secondFactor }: Pick<User, 'id' | 'status' | 'secondFactor'>,
  me: string,
): PersonActs {
  const is = (wanted: (typeof userStatuses)[number]) => status === wanted;
  return {
    resend: is('invited') ? null : 'accepted',
    unlock: is('locked'),
    resetFactor: !secondFactor ? 'noFactor' : id === me ? 'ownFactor' : null,
    deactivate: is('deactivated') ? 'inactive' : id === me ? 'ownDeactivate' : null,
    isInvited: is('invited'),
    isDeactivated: is('deactivated'),
  };
}
