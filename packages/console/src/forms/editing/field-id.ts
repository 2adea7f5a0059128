/** ID of the control of a field, so that summaries of errors can link to it. */
export const fieldId = (path: string): string => `field${path.replaceAll('/', '-')}`;
