import type { Problem, Tree } from "../tree.ts"

/** The image that the Dockerfile builds. It comes from no registry. */
const OWN = "sliptrail"

const PINNED = /@sha256:[0-9a-f]{64}$/u

/** The image that a line of a Dockerfile or a compose file names. */
const imageIn = (line: string): string | undefined =>
  [/^FROM (?:--\S+ )*(\S+)/u, /^COPY (?:--\S+ )*--from=(\S+)/u, /^\s*image: *["']?([^\s"'#]+)/u]
    .map((pattern) => pattern.exec(line)?.[1]).find((image) => image !== undefined)

/** The images without a digest. A registry can give other bytes for the same tag, but not for a digest. */
export const findUnpinnedImages = (tree: Tree): ReadonlyArray<Problem> =>
  [...tree].flatMap(([file, text]) => {
    const stages = Array.from(text.matchAll(/^FROM .* AS (\S+)$/gmu), ([, stage]) => stage)
    return text.split("\n").flatMap((line, index) => {
      const image = imageIn(line)
      if (image === undefined || image === OWN || stages.includes(image) || PINNED.test(image)) return []
      return [{ file, line: index + 1, reason: `${image} has no digest` }]
    })
  })
