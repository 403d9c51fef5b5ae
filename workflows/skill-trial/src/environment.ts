import { z } from 'zod';
import { HostPort } from './network-proxy.js';

const RelativePath = z
  .string()
  .min(1)
  .refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), 'a path inside the case folder');

/** The container a case runs in, its agent and its tests alike. Absent in case.yaml: the machine's own system. */
export const Environment = z
  .strictObject({
    /** An image by its name or digest: pulled at freeze where it is not there. */
    image: z.string().min(1).optional(),
    /** A Dockerfile below the case's folder; its own folder is the build context. */
    dockerfile: RelativePath.optional(),
  })
  .refine(
    ({ image, dockerfile }) => (image === undefined) !== (dockerfile === undefined),
    'either image or dockerfile, and not both',
  );
export type Environment = z.infer<typeof Environment>;

/** What makes the repository ready to be worked on and tested (`npm ci`), once for a case and its environment. */
export const SetUp = z.strictObject({
  /** A shell command, run from the repository's top; any exit status but 0 is a failure. */
  command: z.string().min(1),
  /** The hosts that it may reach, each as host:port; by default none. The trials themselves get nothing of it. */
  network: z
    .union([z.literal('none'), z.strictObject({ allow: z.array(HostPort).min(1) })], {
      message: 'none, or allow: a list of host:port',
    })
    .default('none'),
  timeout_seconds: z.number().positive('a positive number').default(600),
});
export type SetUp = z.infer<typeof SetUp>;
