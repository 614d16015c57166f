import type { Problem, Tree } from "../tree.ts"

/**
 * Words that stand for an unnamed actor, or for a standard term that has a name of its own. A reader with little
 * English stops at them.
 */
const unclear: ReadonlyArray<readonly [word: RegExp, instead: string]> = [
  [
    /\b(whoever|whomever|whosever|whichever|nobody|anybody|no one|somebody|someone(?! else)|everybody|everyone)\b/iu,
    "name the actor"
  ],
  [/\b(he|his|him|she|her)\b/iu, "name the actor"],
  [/\b(is|are|was|were|be|been) told\b/iu, "say what is returned, sent or logged"],
  [/\bhas heard\b|\bheard of\b/iu, "say what was received"],
  [/\b(hands?|handed|handing) over\b/iu, "enqueue, send or pass"],
  [/\bfield notes\b/iu, "cite a document of this repository"],
  [/\bcomes? to an end\b|\bcame out after all\b/iu, "ends, or committed"]
]

/** Unclear words in prose, and in comments and messages of code. */
export const findWordProblems = (tree: Tree): ReadonlyArray<Problem> =>
  [...tree].flatMap(([file, text]) =>
    text.split("\n").flatMap((line, index) =>
      unclear.flatMap(([word, instead]) => {
        const found = word.exec(line)?.[0]
        return found === undefined ? [] : [{ file, line: index + 1, reason: `"${found}": ${instead}` }]
      })
    )
  )
