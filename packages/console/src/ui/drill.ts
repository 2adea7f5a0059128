/**
 * The data behind a number: the page that lists it, or why there is none. Every number of the console has one, so that
 * proof is one click away (docs/design/console.md 1, P1).
 */
export type Drill =
  | {
      /** Address inside the console: `/decisions?offerId=...`. */
      readonly to: string;
      /** Said to those who hear the page, where the number and its label do not say enough. */
      readonly label?: string;
    }
  | {
      /** Why the number cannot be opened: "older than trace retention". */
      readonly reason: string;
      /** The reason is shown once for several numbers: here it's only for screen readers. */
      readonly isCaptioned?: true;
    };
