import { Delay, setting } from "./setting.ts"

/** Settings of reading slip pictures. */
export const pictureSettings = {
  pictureTimeout: setting(
    "PICTURE_TIMEOUT",
    "5 seconds",
    "Time limit for reading one picture, without its time in the queue. A picture that takes longer is answered with `API_SERVER_ERROR`; a job tries again. Raise it on a slow machine.",
    Delay
  )
} as const
