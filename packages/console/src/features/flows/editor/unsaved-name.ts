/** Name under which this browser keeps unsaved work on a flow's nodes. */
export const unsavedName = (flowId: string): string => `flow nodes ${flowId}`;
