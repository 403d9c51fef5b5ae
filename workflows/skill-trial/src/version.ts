/** Version of the lab, in every lock and report. */
export const version = '0.1.0';
