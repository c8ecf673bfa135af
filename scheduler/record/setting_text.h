/* setting_text.h - the setting of a run as lines of text, see record.h. */
#ifndef RECORD_SETTING_TEXT_H
#define RECORD_SETTING_TEXT_H

#include "scheduler/record/record.h"
#include "scheduler/record/text.h"

/* The first word of the line of a policy's options, unless the policy has another word. */
#define RECORD_OPTIONS_WORD "options"

/* Appends the lines from "setting" on. */
void setting_text_write(const struct record_setting *setting, struct text *text);

#endif
