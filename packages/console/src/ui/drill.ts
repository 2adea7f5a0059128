/**
 * The data behind a number: the page that lists it, or the reason it has none. Every number of the console has one, so that
 * proof is one click away (docs/design/console.md 1, P1).
 */
export type Drill =
  | {
      /** Address inside the console: `/decisions?offerId=...`. */
      readonly to: string;
      /** For screen readers, if the number and its label don't say enough. */
      readonly label?: string;
    }
  | {
      /** Why the number can't be opened: "older than trace retention". */
      readonly reason: string;
      /** The reason is shown once for several numbers: here it's only for screen readers. */
      readonly isCaptioned?: true;
    };
