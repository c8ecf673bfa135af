int verb_compare(int argc, char **argv);
int verb_compare(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return 2;
}
