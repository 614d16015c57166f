import { Schema } from "effect"

/** A gateway can't be had as it was set; the message is for the operator and names the setting. */
export class GatewaySettingError extends Schema.TaggedError<GatewaySettingError>()("GatewaySettingError", {
  setting: Schema.String,
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** `what` says what is wrong, and what to do. */
export const refuseSetting = (setting: string, what: string, cause?: unknown): GatewaySettingError =>
  new GatewaySettingError({
    setting,
    message: `${setting} ${what}`,
    ...(cause === undefined ? {} : { cause })
  })
