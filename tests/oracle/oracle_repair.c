/* oracle_repair.c - which quirk has which tag. */
#include "oracle_internal.h"

#include <string.h>

static const struct {
    const char *tag;
    enum oracle_repair repair;
} repairs[] = {
    {"GA-Q1", ORACLE_CLEAN_GA_Q1},   {"GA-Q2", ORACLE_CLEAN_GA_Q2},
    {"GA-Q3", ORACLE_CLEAN_GA_Q3},   {"GA-Q4", ORACLE_CLEAN_GA_Q4},
    {"GA-Q5", ORACLE_CLEAN_GA_Q5},   {"GA-Q7", ORACLE_CLEAN_GA_Q7},
    {"GA-Q8", ORACLE_CLEAN_GA_Q8},   {"GA-Q9", ORACLE_CLEAN_GA_Q9},
    {"GA-Q10", ORACLE_CLEAN_GA_Q10}, {"GA-Q11", ORACLE_CLEAN_GA_Q11},
    {"TI-Q1", ORACLE_CLEAN_TI_Q1},   {"TI-Q3", ORACLE_CLEAN_TI_Q3},
    {"TI-Q11", ORACLE_CLEAN_TI_Q11}, {"TH-Q1", ORACLE_CLEAN_TH_Q1},
    {"TH-Q3", ORACLE_CLEAN_TH_Q3},   {"TH-Q5", ORACLE_CLEAN_TH_Q5},
    {"TH-Q6", ORACLE_CLEAN_TH_Q6},   {"CH-Q1", ORACLE_CLEAN_CH_Q1},
    {"CH-Q2", ORACLE_CLEAN_CH_Q2},   {"CH-Q6", ORACLE_CLEAN_CH_Q6},
    {"CH-Q7", ORACLE_CLEAN_CH_Q7},   {"CH-Q8", ORACLE_CLEAN_CH_Q8},
    {"CH-Q9", ORACLE_CLEAN_CH_Q9},   {"CH-Q10", ORACLE_CLEAN_CH_Q10},
    {"CH-Q17", ORACLE_CLEAN_CH_Q17}, {"CH-Q18", ORACLE_CLEAN_CH_Q18},
};

unsigned oracle_repair_of(const char *tag)
{
    for (size_t i = 0; i < sizeof(repairs) / sizeof(repairs[0]); i++)
        if (strcmp(tag, repairs[i].tag) == 0)
            return (unsigned)repairs[i].repair;
    return 0;
}

bool oracle_cleaned(const struct run *run, enum oracle_repair repair)
{
    return (run->setting->cleaned & (unsigned)repair) != 0;
}
